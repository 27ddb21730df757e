import { z } from 'zod';

/** How the native API says that something went wrong; `code` is one of docs/errors.md. */
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
