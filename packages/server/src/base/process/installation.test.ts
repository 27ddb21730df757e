import { expect, test, vi } from 'vitest';
import { asCalled, calledAs } from './installation.ts';

test.each<[string, string, NodeJS.ProcessEnv, string]>([
  ['installed', '/usr/local/bin/holdfast', {}, 'holdfast'],
  ['by npx', '/work/node_modules/.bin/holdfast', { npm_command: 'exec' }, 'npx holdfast'],
  ['by npm start', '/work/packages/server/bin/holdfast.js', { npm_command: 'start' }, 'npx holdfast'],
  ['by its file', '/work/packages/server/bin/holdfast.js', {}, 'npx holdfast'],
])('%s', (_, program, env, name) => {
  expect(calledAs(env, program)).toBe(name);
});

test('commands in a text can be typed as they stand', () => {
  vi.stubEnv('npm_command', 'exec');
  expect(
    asCalled('`holdfast jobs list`, Usage: holdfast [options]; holdfast: no. npx holdfast up, .holdfast/x'),
  ).toBe(
    '`npx holdfast jobs list`, Usage: npx holdfast [options]; holdfast: no. npx holdfast up, .holdfast/x',
  );
  vi.unstubAllEnvs();
});
