// npm run chaos -- [--fault F3] [--seed 42] [--minutes 10] [--scale 0.1] [--json]
import { runProgram } from './bundle.mjs';

await runProgram('main.ts');
