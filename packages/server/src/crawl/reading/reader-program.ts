// The reading thread of a runner.
import { readBody } from './read-body.ts';
import { serveReading } from './serve-reading.ts';

serveReading(readBody);
