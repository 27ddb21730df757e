/** A body as it comes, for whoever reads it piece by piece. The site waits until a piece is read. */
export class BodyPieces implements AsyncIterable<Buffer> {
  #waiting: { readonly piece: Buffer; readonly taken: () => void }[] = [];
  #isOver = false;
  #wake: () => void = () => {};

  /** For a request's `take`. */
  readonly take = (piece: Buffer): Promise<void> | undefined => {
    if (this.#isOver) return undefined;
    return new Promise((taken) => {
      this.#waiting.push({ piece, taken });
      this.#wake();
    });
  };

  /** Nothing more comes. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
          const { piece, taken } = next;
          try {
            yield piece;
          } finally {
            taken();
          }
        }
        if (this.#isOver) return;
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
      }
    } finally {
      // Whoever stops reading wants no more.
      this.#isOver = true;
      for (const { taken } of this.#waiting) taken();
    }
  }
}
