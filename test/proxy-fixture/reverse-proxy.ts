import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bundleProgram } from '../bundle-program.ts';

/** A reverse proxy in a process of its own. It answers 502 until it knows what it stands in front of. */
export class ReverseProxy {
  readonly origin: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, origin: string) {
    this.#child = child;
    this.origin = origin;
  }

  static async start(scheme: 'tls' | 'plain'): Promise<ReverseProxy> {
    const child = fork(await bundleProgram('test/proxy-fixture/proxy-program.ts'), [scheme]);
    const [origin] = await once(child, 'message');
    return new ReverseProxy(child, origin);
  }

  async standBefore(address: string): Promise<void> {
    const ready = once(this.#child, 'message');
    this.#child.send(address);
    await ready;
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }
}
