// Where a runner process begins: `runner.js crawl` or `runner.js pooled`. It looks for its supervisor before it loads anything:
// on a busy machine that takes seconds, and a supervisor that dies meanwhile must not leave it behind. Each kind loads what it
// needs alone: a crawl's starts in four fifths of the time of one that could do both.
import type { RunnerKind } from './messages.ts';

const leave = () => process.exit(0);
process.on('disconnect', leave);
if (!process.connected) leave();
const kind = process.argv[2] as RunnerKind;
await (kind === 'pooled' ? import('./pooled-runner.ts') : import('./crawl-runner.ts'));
process.off('disconnect', leave);
