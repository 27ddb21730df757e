import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HoldfastError } from '@holdfast/contract';
import { describeError } from './describe-error.ts';
import { nativeShape } from './send-error.ts';

/** Answers what is not even HTTP, or too much of it, before there is a request to speak of. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const described = describeError(
    new HoldfastError(
      isTooLarge ? 'request_too_large' : 'bad_request',
      isTooLarge ? 'its headers' : 'not HTTP',
    ),
  );
  const status = isTooLarge ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : described.status;
  const body = JSON.stringify(nativeShape(described, randomUUID()));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
