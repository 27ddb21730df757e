import { type CreatedJob, crawlScopes, crawlStrategies, renderModes } from '@holdfast/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { RequestFailed, request } from '../../api/request.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field, Form, FormError } from '../../design/form.tsx';

/** Creates a crawl with the most common options; all others are in the API and the command line. */
export function NewCrawl({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (payload: Record<string, unknown>) =>
      request<CreatedJob>('/api/v1/jobs', { method: 'POST', body: { kind: 'crawl', payload } }),
    onSuccess: (job) => {
      onClose();
      void navigate({ to: '/jobs/$id', params: { id: job.id } });
    },
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim() || undefined;
    const number = (name: string) => (text(name) === undefined ? undefined : Number(text(name)));
    const lines = (name: string) =>
      text(name)
        ?.split('\n')
        .map((line) => line.trim())
        .filter(Boolean);
    const payload = {
      url: text('url'),
      strategy: text('strategy'),
      scope: text('scope'),
      max_depth: number('max_depth'),
      max_pages: number('max_pages'),
      include: lines('include'),
      exclude: lines('exclude'),
      render: text('render'),
      profile: text('profile'),
      screenshot: text('screenshot'),
      ...(data.get('recrawl') && { recrawl: true }),
    };
    create.mutate(Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined)));
  }

  return (
    <Dialog open={open} onClose={onClose} title="Crawl a site">
      <Form onSubmit={submit}>
        <Field label="Start URL" wide>
          <input name="url" type="url" required placeholder="https://example.com/" />
        </Field>
        <Field label="Strategy" hint="auto detects the type of the URL">
          <select name="strategy" defaultValue="auto">
            {crawlStrategies.map((strategy) => (
              <option key={strategy}>{strategy}</option>
            ))}
          </select>
        </Field>
        <Field label="Scope">
          <select name="scope" defaultValue="host">
            {crawlScopes.map((scope) => (
              <option key={scope}>{scope}</option>
            ))}
          </select>
        </Field>
        <Field label="Depth" hint="links from the start; default 50">
          <input name="max_depth" type="number" min={0} max={1000} />
        </Field>
        <Field label="Maximum pages" hint="no limit by default">
          <input name="max_pages" type="number" min={1} />
        </Field>
        <Field label="Include" hint="only matching URLs; one pattern per line">
          <textarea name="include" rows={2} />
        </Field>
        <Field label="Exclude" hint="skip matching URLs; one pattern per line">
          <textarea name="exclude" rows={2} />
        </Field>
        <Field label="Render" hint="auto: only pages that need JavaScript">
          <select name="render" defaultValue="auto">
            {renderModes.map((mode) => (
              <option key={mode}>{mode}</option>
            ))}
          </select>
        </Field>
        <Field label="Profile" hint="name of a stored sign-in">
          <input name="profile" maxLength={100} />
        </Field>
        <Field label="Screenshots" hint="of every page; renders all pages">
          <select name="screenshot" defaultValue="">
            <option value="">none</option>
            <option value="viewport">viewport</option>
            <option value="full_page">full page</option>
          </select>
        </Field>
        <label>
          <input type="checkbox" name="recrawl" /> fetch only what changed since the last crawl
        </label>
        <FormError error={create.error instanceof RequestFailed ? create.error : null} />
        <Button type="submit" look="primary" disabled={create.isPending}>
          Start crawl
        </Button>
      </Form>
    </Dialog>
  );
}
