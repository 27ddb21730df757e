// A parser thread that hangs on some pages and crashes on others.
import { readBody } from '../read-body.ts';
import { serveReading } from '../serve-reading.ts';

serveReading((url, ...rest) => {
  if (url.includes('hang')) for (;;);
  if (url.includes('die')) process.exit(1);
  if (url.includes('throw')) throw new Error('as asked for');
  if (url.includes('hoard')) for (const hoard: number[][] = []; ; ) hoard.push(new Array(10_000).fill(1));
  return readBody(url, ...rest);
});
