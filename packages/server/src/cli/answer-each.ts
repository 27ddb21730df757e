import { errors, HoldfastError } from '@holdfast/contract';
import { reportError } from './report-error.ts';

/** Does it to each by itself: one for which it cannot be done is reported, and the others go on. */
export async function answerEach(
  ids: readonly string[],
  json: boolean,
  act: (
    id: string,
  ) => Promise<{ readonly changed: object; readonly told: string; readonly aside?: string | undefined }>,
): Promise<void> {
  for (const id of ids) {
    try {
      const { changed, told, aside } = await act(id);
      console.log(json ? JSON.stringify(changed) : told);
      // Beside the answer, which programs read.
      if (aside !== undefined) console.error(aside);
    } catch (error) {
      if (!(error instanceof HoldfastError) || errors[error.code].http >= 500) throw error;
      reportError(error, json);
    }
  }
}
