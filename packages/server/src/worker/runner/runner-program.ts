// The entry of a runner process: `runner.js crawl` or `runner.js pooled`. It watches its supervisor before it loads anything, because
// loading may take seconds, and a supervisor that dies meanwhile must not leave it behind. Each kind loads only what it needs.
import type { RunnerKind } from './messages.ts';

const leave = () => process.exit(0);
process.on('disconnect', leave);
if (!process.connected) leave();
const kind = process.argv[2] as RunnerKind;
await (kind === 'pooled' ? import('./pooled-runner.ts') : import('./crawl-runner.ts'));
process.off('disconnect', leave);
