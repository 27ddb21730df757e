import { z } from 'zod';

/** The error format of the native API; `code` is listed in docs/errors.md. */
export const apiError = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      details: z
        .array(z.object({ field: z.string(), message: z.string() }))
        .optional()
        .describe('what is wrong with each field'),
      request_id: z.string().describe('identifies the request in the logs'),
    }),
  })
  .meta({ id: 'Error' });
export type ApiError = z.input<typeof apiError>;
