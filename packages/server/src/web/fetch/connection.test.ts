import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AddressGuard } from './address-guard.ts';
import { openSocket } from './connection.ts';
import { type SocketTrap, trapSockets } from './testing/socket-trap.ts';

let trap: SocketTrap;
beforeEach(() => {
  trap = trapSockets();
});
afterEach(() => trap.release());

const resolve = async () => {
  throw new Error('a literal is not resolved');
};

describe('a socket for fetching', () => {
  test.each(['http://127.0.0.1', 'https://169.254.169.254', 'http://[::1]:8080'])(
    'is not opened to %s, though nothing before it had looked',
    (origin) => {
      const open = () => openSocket(new URL(origin), { guard: new AddressGuard(), resolve }, () => {});
      expect(open).toThrow(expect.objectContaining({ code: 'address_forbidden' }));
      expect(trap.opened).toEqual([]);
    },
  );
});
