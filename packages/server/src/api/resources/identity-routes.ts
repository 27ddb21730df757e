import { crawlerIdentity, HoldfastError } from '@holdfast/contract';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { publishedKeys } from '../../governor/identity/identity-keys.ts';
import { readKey, signMessage } from '../../web/fetch/sign-message.ts';
import type { RouteGroup } from '../route-group.ts';

const directoryPath = '/.well-known/http-message-signatures-directory';
const directoryType = 'application/http-message-signatures-directory+json';
/** A rotation is published an hour before it signs. */
const maxAgeSeconds = 900;

type PublishedKey = Awaited<ReturnType<typeof publishedKeys>>[number];

/** Where sites find the public keys of signed requests (draft-meunier-http-message-signatures-directory). */
export const directoryRoutes: RouteGroup = (server, { pool, configuration }) => {
  const store = new SecretStore(new SecretKeys(configuration));
  server.get(
    directoryPath,
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const keys = await publishedKeys(pool);
      const [first] = keys;
      if (!first) throw new HoldfastError('identity_missing');
      const signatures = await signaturesOf(keys, { store, pool, log: request.log });
      const jwks = keys.map(({ id, public_key }) => ({
        kty: 'OKP',
        crv: 'Ed25519',
        x: public_key,
        kid: id,
        use: 'sig',
      }));
      return reply
        .headers({
          'content-type': directoryType,
          'cache-control': `public, max-age=${maxAgeSeconds}`,
          'cross-origin-resource-policy': 'cross-origin',
          ...signatures,
        })
        .send(Buffer.from(JSON.stringify({ keys: jwks })));
    },
  );
};

/** Proves that this directory belongs to the holder of its keys. Without the secret key of this machine it goes unsigned. */
async function signaturesOf(
  keys: readonly PublishedKey[],
  { store, pool, log }: { store: SecretStore; pool: pg.Pool; log: FastifyBaseLogger },
): Promise<Record<string, string>> {
  try {
    const signed = await Promise.all(
      keys.map(async ({ secret_id, agent }, at) => {
        // The name that the site asked for, whatever a proxy made of it.
        const components = [['@authority;req', new URL(agent).host]] as const;
        const key = readKey(await store.get<string>(pool, secret_id));
        return signMessage(
          { components, label: `binding${at}`, tag: 'http-message-signatures-directory' },
          key,
        );
      }),
    );
    return {
      'signature-input': signed.map(({ input }) => input).join(', '),
      signature: signed.map(({ signature }) => signature).join(', '),
    };
  } catch (error) {
    log.warn({ err: error }, `The key directory is not signed: ${(error as Error).message}`);
    return {};
  }
}

export const identityRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/',
    {
      config: { access: { scope: 'operate' } },
      schema: {
        operationId: 'getIdentity',
        tags: ['operations'],
        summary: 'Show the keys that requests are signed with',
        description: 'Public halves only. `holdfast identity` creates, rotates and removes keys.',
        response: { 200: crawlerIdentity },
      },
    },
    async () => ({ data: await publishedKeys(pool) }),
  );
};
