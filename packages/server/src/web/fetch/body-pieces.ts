/** Makes a body readable piece by piece as it arrives. The site waits until each piece is read. */
export class BodyPieces implements AsyncIterable<Buffer> {
  #waiting: { readonly piece: Buffer; readonly taken: () => void }[] = [];
  #isOver = false;
  #wake: () => void = () => {};

  /** The `take` of a request. */
  readonly take = (piece: Buffer): Promise<void> | undefined => {
    if (this.#isOver) return undefined;
    return new Promise((taken) => {
      this.#waiting.push({ piece, taken });
      this.#wake();
    });
  };

  /** The body is complete. */
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
      // The reader has stopped: discards the rest.
      this.#isOver = true;
      for (const { taken } of this.#waiting) taken();
    }
  }
}
