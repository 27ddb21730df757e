import { errors, HoldfastError } from '@holdfast/contract';
import { reportError } from './report-error.ts';

/** Does it to each by itself: one for which it cannot be done is reported, and the others go on. */
export async function answerEach(
  ids: readonly string[],
  json: boolean,
  act: (id: string) => Promise<{ readonly changed: object; readonly told: string }>,
): Promise<void> {
  for (const id of ids) {
    try {
      const { changed, told } = await act(id);
      console.log(json ? JSON.stringify(changed) : told);
    } catch (error) {
      if (!(error instanceof HoldfastError) || errors[error.code].http >= 500) throw error;
      reportError(error, json);
    }
  }
}
