import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/** An Ed25519 key that signs HTTP messages (RFC 9421). */
export interface SigningKey {
  /** JWK thumbprint (RFC 7638). */
  readonly id: string;
  readonly privateKey: KeyObject;
}

/** A key's public half, as the key directory lists it. */
export interface PublicKey {
  readonly id: string;
  /** The `x` of its JWK. */
  readonly x: string;
}

interface SignedMessage {
  /** Covered components with their values, in order. `@authority;req` is that of the request, in a response. */
  readonly components: readonly (readonly [name: string, value: string])[];
  readonly label: string;
  readonly tag: string;
}

/** How long a signature can be verified. Its nonce makes it good for one request within this time. */
const signatureSeconds = 120;

/** The headers `signature-input` and `signature` of a message. */
export function signMessage(
  { components, label, tag }: SignedMessage,
  key: SigningKey,
  now: number = Date.now(),
): { input: string; signature: string } {
  const created = Math.floor(now / 1000);
  const names = components.map(([name]) => componentName(name)).join(' ');
  const nonce = randomBytes(48).toString('base64');
  const parameters = `(${names});created=${created};expires=${created + signatureSeconds};keyid="${key.id}";alg="ed25519";nonce="${nonce}";tag="${tag}"`;
  const lines = components.map(([name, value]) => `${componentName(name)}: ${value}\n`);
  const base = `${lines.join('')}"@signature-params": ${parameters}`;
  const signature = sign(null, Buffer.from(base), key.privateKey).toString('base64');
  return { input: `${label}=${parameters}`, signature: `${label}=:${signature}:` };
}

function componentName(name: string): string {
  const [field = '', parameter] = name.split(';');
  return parameter === undefined ? `"${field}"` : `"${field}";${parameter}`;
}

/** Headers that say who sends a request: Web Bot Auth (draft-meunier-web-bot-auth-architecture). */
export function identityHeaders(url: URL, agent: string, key: SigningKey): string[] {
  const quoted = `"${agent}"`;
  const { input, signature } = signMessage(
    {
      components: [
        ['@authority', url.host],
        ['signature-agent', quoted],
      ],
      label: 'sig1',
      tag: 'web-bot-auth',
    },
    key,
  );
  return ['signature-agent', quoted, 'signature-input', input, 'signature', signature];
}

/** A new key: its public half, and the private one as text to be kept secret. */
export function makeKey(): { readonly key: PublicKey; readonly secret: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { key: publicHalf(privateKey), secret };
}

export function readKey(secret: string): SigningKey {
  const privateKey = createPrivateKey(secret);
  return { id: publicHalf(privateKey).id, privateKey };
}

function publicHalf(privateKey: KeyObject): PublicKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  // The members of the key type in the order of their names.
  const id = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { id, x };
}
