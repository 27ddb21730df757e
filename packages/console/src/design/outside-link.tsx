/** A crawled link: opens http and https URLs without a referrer; anything else is shown as text. */
export function OutsideLink({ url, text = url }: { readonly url: string; readonly text?: string }) {
  if (!/^https?:\/\//i.test(url)) return <>{text}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {text}
    </a>
  );
}
