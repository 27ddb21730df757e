const texts = {
  lost: 'The lock on the job was lost: another may have it now',
  pause: 'The job is to be paused',
  cancel: 'The job is to be cancelled',
  stopped: 'The bot was stopped',
} as const;

/** The reason of a handler's aborted signal. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted';
  readonly why: keyof typeof texts;

  constructor(why: keyof typeof texts, options?: ErrorOptions) {
    super(texts[why], options);
    this.why = why;
  }
}
