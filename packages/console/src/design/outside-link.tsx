/** A link that was crawled: only to the web, without telling it where it was clicked; anything else is shown as text. */
export function OutsideLink({ url, text = url }: { readonly url: string; readonly text?: string }) {
  if (!/^https?:\/\//i.test(url)) return <>{text}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {text}
    </a>
  );
}
