/** What a module's thread is started with. */
export interface ModuleTask {
  readonly file: string;
  readonly item: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

export type FromModule =
  | {
      readonly type: 'fetch';
      readonly id: number;
      readonly url: string;
      readonly headers: Record<string, string>;
    }
  | { readonly type: 'listings'; readonly listings: unknown }
  /** `fetchId`: the request whose failure it let through. */
  | { readonly type: 'failed'; readonly message: string; readonly fetchId: number | undefined };

export type ToModule =
  | {
      readonly type: 'response';
      readonly id: number;
      readonly url: string;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly type: 'refused'; readonly id: number; readonly code: string; readonly message: string };
