// Where a runner process begins. It looks for its supervisor before it loads anything: on a busy machine that takes seconds,
// and a supervisor that dies meanwhile must not leave it behind.
const leave = () => process.exit(0);
process.on('disconnect', leave);
if (!process.connected) leave();
await import('./runner.ts');
process.off('disconnect', leave);

export {};
