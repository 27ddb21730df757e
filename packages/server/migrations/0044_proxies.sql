-- Proxies: servers that requests go through, by name.
CREATE TABLE proxies (
  name text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 100),
  rotation text NOT NULL DEFAULT 'round_robin' CHECK (rotation IN ('round_robin', 'sticky')),
  resolves_names boolean NOT NULL DEFAULT false,
  cooldown_seconds real NOT NULL DEFAULT 30,
  servers text[] NOT NULL CHECK (cardinality(servers) > 0),
  may_be_private boolean NOT NULL DEFAULT false,
  secret_id uuid NOT NULL REFERENCES secrets,
  edition integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE proxies IS 'Proxies by name: one server, or a list that requests take turns with.';
COMMENT ON COLUMN proxies.resolves_names IS 'The proxy gets host names and resolves them. Otherwise it gets addresses that Holdfast has checked.';
COMMENT ON COLUMN proxies.cooldown_seconds IS 'How long a server rests after failures; longer each time.';
COMMENT ON COLUMN proxies.servers IS 'Addresses of its servers, without credentials.';
COMMENT ON COLUMN proxies.may_be_private IS 'Its servers may have private addresses. Only the command line sets this.';
COMMENT ON COLUMN proxies.secret_id IS 'The URLs of its servers, with credentials.';
COMMENT ON COLUMN proxies.edition IS 'Raised with every change, so that workers read it again.';

CREATE TABLE proxy_health (
  proxy text NOT NULL,
  server text NOT NULL,
  address text NOT NULL,
  requests bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure text,
  rests_until timestamptz,
  PRIMARY KEY (proxy, server)
);
COMMENT ON TABLE proxy_health IS 'How the servers of proxies do, as all workers found. `default` is HOLDFAST_PROXY.';
COMMENT ON COLUMN proxy_health.server IS 'The name on pages and in logs: eu, or eu#2 for the second of a list.';
COMMENT ON COLUMN proxy_health.last_failure IS 'Null after the next success.';
COMMENT ON COLUMN proxy_health.rests_until IS 'No request goes through it before this time, because it failed.';

ALTER TABLE sources ADD COLUMN proxy text;
COMMENT ON COLUMN sources.proxy IS 'The proxy for requests to its hosts; `direct`: none. Null: that of the job, or HOLDFAST_PROXY.';
CREATE INDEX sources_by_proxy ON sources (proxy) WHERE proxy IS NOT NULL;

ALTER TABLE crawl_pages ADD COLUMN proxy text, ADD COLUMN blocked jsonb;
COMMENT ON COLUMN crawl_pages.proxy IS 'The proxy server that the answer came through. Null: none.';
COMMENT ON COLUMN crawl_pages.blocked IS 'Who blocked the request, and what shows it; see `Block` in the API.';
