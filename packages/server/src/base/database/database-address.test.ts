import { describe, expect, test } from 'vitest';
import { serversOf } from './database-address.ts';

describe('the servers of a connection string', () => {
  test.each([
    [
      'postgresql://me:secret@one:5433/db?sslmode=require',
      ['postgresql://me:secret@one:5433/db?sslmode=require'],
    ],
    ['postgresql:///db?host=/run/postgresql', ['postgresql:///db?host=/run/postgresql']],
    ['postgres://me:a,b@one/db', ['postgres://me:a,b@one/db']],
    [
      'postgresql://me:secret@one:5433,two/db?target_session_attrs=read-write&sslmode=require',
      ['postgresql://me:secret@one:5433/db?sslmode=require', 'postgresql://me:secret@two/db?sslmode=require'],
    ],
    [
      'postgresql://one,two,[::1]:5/db?target_session_attrs=any',
      ['postgresql://one/db', 'postgresql://two/db', 'postgresql://[::1]:5/db'],
    ],
  ])('%s', (url, servers) => {
    expect(serversOf(url)).toEqual(servers);
  });
});
