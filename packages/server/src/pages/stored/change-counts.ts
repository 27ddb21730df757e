/** What became of the pages of a recrawl, counted; null for a crawl that nothing was compared with. Of the alias `state`. */
export const changeCounts = `CASE WHEN state.baseline IS NOT NULL THEN jsonb_build_object('baseline', state.baseline,
    'new', state.new_pages, 'changed', state.changed, 'unchanged', state.unchanged, 'gone', state.gone) END`;
