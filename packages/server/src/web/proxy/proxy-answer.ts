import { HoldfastError } from '@holdfast/contract';
import type { FetchHead, FetchRequest } from '../fetch/fetcher.ts';
import { httpRefusal } from './ask-for-tunnel.ts';
import type { ProxyStage } from './open-through-proxy.ts';
import { isForwarded, type ProxyEndpoint, ProxyFailure } from './proxy-endpoint.ts';

/** Connection errors, which proxy or site may have caused. */
const ofTheWay: ReadonlySet<string> = new Set(['connection_failed', 'fetch_timed_out']);

interface Way {
  readonly stage: ProxyStage | undefined;
  readonly isSent: boolean;
}

/** Turns failures on the way through a proxy into proxy errors; all other errors are returned unchanged. */
export function asProxyFailure(error: unknown, via: ProxyEndpoint, { stage, isSent }: Way): unknown {
  if (error instanceof ProxyFailure || !(error instanceof HoldfastError)) return error;
  if (error.code === 'tls_failed')
    return new HoldfastError('tls_failed', `${error.detail ?? ''}, through the proxy ${via.name}`, {
      cause: error,
    });
  if (!ofTheWay.has(error.code)) return error;
  const what = `${describe(stage)} (${error.detail ?? error.message})`;
  return new ProxyFailure(via, stage === 'proxy' ? 'proxy' : 'route', what, { isSent });
}

function describe(stage: ProxyStage | undefined): string {
  if (stage === 'proxy') return 'cannot be reached';
  return stage === 'target' ? 'the proxy did not connect' : 'the connection through the proxy failed';
}

/** For plain http, a proxy may respond itself. Wraps the `acceptHead` of such a request to detect that. */
export function checkProxyAnswer(
  url: URL,
  via: ProxyEndpoint,
  acceptHead: FetchRequest['acceptHead'],
): FetchRequest['acceptHead'] {
  if (!isForwarded(url, via)) return acceptHead;
  return (head) => {
    if (head.status === 407 || isOwnError(head)) throw httpRefusal(via, head.status);
    return acceptHead?.(head) ?? true;
  };
}

/** Errors that proxies identify as their own: RFC 9209, Squid's header, or tinyproxy's name. */
function isOwnError({ status, headers }: FetchHead): boolean {
  if (status < 400) return false;
  return (
    headers['x-squid-error'] !== undefined ||
    /;\s*error=/.test(headers['proxy-status'] ?? '') ||
    /^tinyproxy\b/i.test(headers.server ?? '')
  );
}
