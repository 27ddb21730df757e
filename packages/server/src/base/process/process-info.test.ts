import { describe, expect, test } from 'vitest';
import { judgeProcess, ownIdentity } from './process-info.ts';

const self = ownIdentity();
const [boot, table] = self.bootId.split(' ');
const other = (fields: Partial<typeof self>) => ({ ...self, pid: 999_999_999, ...fields });
const anHour = 3_600;

describe('of another process it is certain', () => {
  test('that it is dead when its pid, on this machine and since its start, is gone', () => {
    expect(judgeProcess(other({}), 0)).toBe('dead');
  });

  test('that it is dead when its pid belongs to a process that started at another time', () => {
    expect(judgeProcess(other({ pid: process.pid, processStart: '1' }), 0)).toBe('dead');
  });

  test('that it is alive when it is there', () => {
    expect(judgeProcess(self, anHour)).toBe('alive');
  });

  test('that it is dead when its machine has been started anew', () => {
    expect(judgeProcess(other({ bootId: `another ${table}` }), anHour, self, anHour - 1)).toBe('dead');
  });
});

describe('of another process nothing is certain', () => {
  test.each([
    ['has the same host name, but another machine id', { machineId: 'another' }],
    [
      'has the same host name, but another machine id and boot',
      { machineId: 'another', bootId: 'another 1' },
    ],
    ['has no machine id', { machineId: '', bootId: 'another 1' }],
    ['runs in another container of the machine', { bootId: `${boot} another` }],
    ['did not say when it started', { processStart: '' }],
  ])('that %s', (_, fields) => {
    expect(judgeProcess(other(fields), anHour, self, 1)).toBe('unknown');
  });

  test('that gave a sign of life since this machine started, though it says to have run on it before', () => {
    expect(judgeProcess(other({ bootId: `another ${table}` }), 5, self, anHour)).toBe('unknown');
  });

  test('where this machine does not tell its own id', () => {
    expect(judgeProcess(other({ machineId: '' }), anHour, { ...self, machineId: '' }, 1)).toBe('unknown');
  });
});
