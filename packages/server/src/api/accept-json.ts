import type { ApiServer } from './api-server.ts';
import { invalidBody } from './invalid-request.ts';

/** JSON alone, and nothing for no body at all, whatever its Content-Type. Keys that would change a prototype are refused. */
export function acceptJson(server: ApiServer): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else
      parse(request, body as string, (error, value) => {
        const isSyntax = (error as { code?: string } | null)?.code === 'FST_ERR_CTP_INVALID_JSON_BODY';
        done(isSyntax ? invalidBody('must be JSON') : error, value);
      });
  });
}
