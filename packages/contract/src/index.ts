export * from './configuration.ts';
export * from './crawl-options.ts';
export * from './errors.ts';
export * from './job.ts';
export * from './job-lifecycle.ts';
export * from './policy.ts';
