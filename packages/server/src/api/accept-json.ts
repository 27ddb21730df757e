import type { ApiServer } from './api-server.ts';

/** JSON alone, and nothing for no body at all, whatever its Content-Type. Keys that would change a prototype are refused. */
export function acceptJson(server: ApiServer): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}
