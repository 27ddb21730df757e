// Runs the tests as they must also pass: in random order, on one core, beside programs that want the processor, and with clocks
// that stand still for 100 ms at a time. It takes names of variants (all, if there are none) and a seed; the rest is for vitest:
// `npm run test:stress -- shuffled one-core --seed=7 packages/sdk`.
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const clock = pathToFileURL(fileURLToPath(new URL('coarse-clock.mjs', import.meta.url)));

const args = process.argv.slice(2);
const seedFlag = /^--seed=(\d+)$/;
const seed = Number(args.map((arg) => seedFlag.exec(arg)?.[1]).find(Boolean) ?? Date.now() % 1_000_000);
const shuffle = ['--sequence.shuffle', `--sequence.seed=${seed}`];

/** Of each: what vitest is told besides, and what is different around it. */
const variants = {
  plain: {},
  shuffled: { flags: shuffle },
  'one-core': { flags: shuffle, oneCore: true },
  hogs: { flags: shuffle, hogs: availableParallelism() },
  coarse: {
    // The reference of the tables would name the coarse functions.
    flags: [...shuffle, '--exclude=test/docs/schema.test.ts'],
    env: {
      HOLDFAST_TEST_CLOCK_MS: '100',
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${clock}`.trim(),
    },
  },
};

const isVariant = (arg) => Object.hasOwn(variants, arg);
const asked = args.filter(isVariant);
const names = asked.length > 0 ? asked : Object.keys(variants);
const given = args.filter((arg) => !isVariant(arg) && !seedFlag.test(arg));

const failed = [];
for (const name of names) {
  console.log(`\n== ${name}, seed ${seed}`);
  if ((await run(variants[name])) !== 0) failed.push(name);
}
console.log(
  failed.length > 0 ? `\nFailed: ${failed.join(', ')} (seed ${seed})` : `\nAll passed (seed ${seed})`,
);
process.exit(failed.length > 0 ? 1 : 0);

function run({ flags = [], env = {}, hogs = 0, oneCore = false }) {
  const busy = Array.from({ length: hogs }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const stop = () => {
    for (const hog of busy) hog.kill('SIGKILL');
  };
  process.once('exit', stop);
  const command = [process.execPath, vitest, 'run', ...flags, ...given];
  const child = spawnOn(oneCore, command, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      stop();
      process.off('exit', stop);
      resolve(code ?? 1);
    });
  });
}

/** Linux alone lets a program be bound to a core from outside. */
function spawnOn(oneCore, [program, ...args], options) {
  if (!oneCore) return spawn(program, args, options);
  if (spawnSync('taskset', ['--version']).error) {
    console.warn('There is no taskset here: the tests run on all cores.');
    return spawn(program, args, options);
  }
  return spawn('taskset', ['-c', '0', program, ...args], options);
}
