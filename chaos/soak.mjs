// npm run soak -- [--minutes 20] [--seed 42] [--plot docs/soak.svg] [--json]
import { runProgram } from './bundle.mjs';

await runProgram('soak/main.ts');
