import type * as contract from '@holdfast/contract';
import type * as sdk from '@holdfast/sdk';
import { describe, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';

/*
 * The types of the SDK are written from the document, which is written from the contract's schemas. These are checked by
 * the compiler (`npm run check`): on that way nothing was lost. What the schemas take apart from text in a query, they
 * take as anything; that has no type to compare with.
 */
type Schema = keyof typeof contract;
type In<Name extends Schema> = (typeof contract)[Name] extends z.ZodType
  ? z.input<(typeof contract)[Name]>
  : never;

describe('as JSON, the types of the SDK are those of the contract', () => {
  test('for answers', () => {
    expectTypeOf<sdk.Job>().toEqualTypeOf<In<'apiJob'>>();
    expectTypeOf<sdk.ShownJob>().toEqualTypeOf<In<'shownJob'>>();
    expectTypeOf<sdk.CreatedJob>().toEqualTypeOf<In<'createdJob'>>();
    expectTypeOf<sdk.JobProgress>().toEqualTypeOf<In<'jobProgress'>>();
    expectTypeOf<sdk.JobEvent>().toEqualTypeOf<In<'jobEvent'>>();
    expectTypeOf<sdk.StreamEvent>().toEqualTypeOf<In<'streamEvent'>>();
    expectTypeOf<sdk.BulkAnswer>().toEqualTypeOf<In<'bulkAnswer'>>();
    expectTypeOf<sdk.FrontierSummary>().toEqualTypeOf<In<'frontierSummary'>>();
    expectTypeOf<sdk.ListedPage>().toEqualTypeOf<In<'listedPage'>>();
    expectTypeOf<sdk.ShownPage>().toEqualTypeOf<In<'shownPage'>>();
    expectTypeOf<sdk.PageErrors>().toEqualTypeOf<In<'pageErrors'>>();
    expectTypeOf<sdk.Policy>().toEqualTypeOf<In<'apiPolicy'>>();
    expectTypeOf<sdk.RanPolicy>().toEqualTypeOf<In<'ranPolicy'>>();
    expectTypeOf<sdk.ListedResult>().toEqualTypeOf<In<'listedResult'>>();
    expectTypeOf<sdk.Result>().toEqualTypeOf<In<'shownResult'>>();
    expectTypeOf<sdk.HistoricPrice>().toEqualTypeOf<In<'historicPrice'>>();
    expectTypeOf<sdk.BotDescription>().toEqualTypeOf<In<'bot'>>();
    expectTypeOf<sdk.CreatedBot>().toEqualTypeOf<In<'createdBot'>>();
    expectTypeOf<sdk.Key>().toEqualTypeOf<In<'apiKey'>>();
    expectTypeOf<sdk.CreatedKey>().toEqualTypeOf<In<'createdKey'>>();
    expectTypeOf<sdk.Profile>().toEqualTypeOf<In<'apiProfile'>>();
    expectTypeOf<sdk.PullAnswer>().toEqualTypeOf<In<'pullAnswer'>>();
    expectTypeOf<sdk.SubmitAnswer>().toEqualTypeOf<In<'submitAnswer'>>();
    expectTypeOf<sdk.SubmitBatchAnswer>().toEqualTypeOf<In<'submitBatchAnswer'>>();
    expectTypeOf<sdk.HeartbeatAnswer>().toEqualTypeOf<In<'heartbeatAnswer'>>();
    expectTypeOf<sdk.Webhook>().toEqualTypeOf<In<'apiWebhook'>>();
    expectTypeOf<sdk.CreatedWebhook>().toEqualTypeOf<In<'createdWebhook'>>();
    expectTypeOf<sdk.WebhookDelivery>().toEqualTypeOf<In<'webhookDelivery'>>();
    expectTypeOf<sdk.Page<string>>().toEqualTypeOf<contract.Page<string>>();
  });

  test('for requests', () => {
    expectTypeOf<sdk.NewJob>().toEqualTypeOf<In<'newJob'>>();
    expectTypeOf<sdk.BulkCreateJobsBody>().toEqualTypeOf<In<'bulkCreateRequest'>>();
    expectTypeOf<sdk.NewPolicy>().toEqualTypeOf<In<'newPolicy'>>();
    expectTypeOf<sdk.PolicyChange>().toEqualTypeOf<In<'policyChange'>>();
    expectTypeOf<sdk.NewWebhook>().toEqualTypeOf<In<'newWebhook'>>();
    expectTypeOf<sdk.NewBot>().toEqualTypeOf<In<'newBot'>>();
    expectTypeOf<sdk.BotChange>().toEqualTypeOf<In<'botChange'>>();
    expectTypeOf<sdk.CreateKeyBody>().toEqualTypeOf<In<'keyRequest'>>();
    expectTypeOf<sdk.HeartbeatRequest>().toEqualTypeOf<In<'heartbeatRequest'>>();
  });

  test('for words', () => {
    expectTypeOf<sdk.JobStatus>().toEqualTypeOf<contract.JobStatus>();
    expectTypeOf<sdk.JobKind>().toEqualTypeOf<contract.JobKind>();
    expectTypeOf<sdk.Executor>().toEqualTypeOf<contract.Executor>();
    expectTypeOf<sdk.Transition>().toEqualTypeOf<contract.TransitionName>();
    expectTypeOf<sdk.UserAction>().toEqualTypeOf<contract.UserAction>();
    expectTypeOf<sdk.KeyScope>().toEqualTypeOf<contract.KeyScope>();
  });
});
