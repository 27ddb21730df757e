// npm run soak -- [--minutes 20] [--seed 42] [--plot docs/images/soak.svg] [--json]
import { runProgram } from './bundle.mjs';

await runProgram('soak/main.ts');
