import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../../../../test/bundle-program.ts';
import { InFlightFile } from './in-flight-file.ts';

function openFile(): InFlightFile {
  const file = InFlightFile.open();
  if (!file) throw new Error('there is no room for it');
  return file;
}

const hash = (number: number) => `${String(number).padStart(8, '0')}-0000-0000-0000-000000000000`;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the supervisor reads what a runner had under way when it was killed', async () => {
  const source = join(folder, 'doomed.ts');
  const module = fileURLToPath(new URL('./in-flight-file.ts', import.meta.url));
  writeFileSync(
    source,
    `import { InFlight } from ${JSON.stringify(module)};
    const inFlight = new InFlight();
    for (let n = 0; n < 300; n++) inFlight.add(String(n).padStart(8, '0') + '-0000-0000-0000-000000000000');
    for (let n = 0; n < 298; n++) inFlight.delete(String(n).padStart(8, '0') + '-0000-0000-0000-000000000000');
    inFlight.add('${hash(400)}');
    inFlight.publish();
    inFlight.delete('${hash(299)}'); // nobody was told
    process.kill(process.pid, 'SIGKILL');`,
  );
  const program = await bundleProgram(source);
  const file = openFile();
  const child = fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc', file.descriptor] });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  expect(file.read().toSorted()).toEqual([hash(298), hash(299), hash(400)]);
  file.close();
});

test('a file that nobody wrote to tells of nothing', () => {
  const file = openFile();
  expect(file.read()).toEqual([]);
  file.close();
});

test('a temporary folder that cannot be written to costs nothing but the knowledge', () => {
  expect(InFlightFile.open([join(folder, 'missing'), '/dev/null'])).toBeUndefined();
  const file = InFlightFile.open([join(folder, 'missing'), folder]);
  expect(file?.read()).toEqual([]);
  file?.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('holdfast-runner-'))).toEqual([]);
});
