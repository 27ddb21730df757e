import { tag } from './html-tag.ts';
import { attribute, type TagAttributes } from './tag-attributes.ts';

/** The microdata attributes of one element. */
export interface MicrodataAttributes {
  readonly scope: boolean;
  readonly type: string | undefined;
  readonly itemId: string | undefined;
  readonly props: string | undefined;
  readonly refs: string | undefined;
  readonly domId: string | undefined;
  readonly content: string | undefined;
  /** The attribute that holds the value of elements with this tag. */
  readonly value: string | undefined;
  readonly required: boolean;
  readonly name: string | undefined;
}

export const urlValued = new Map<number, number>([
  ...[tag.audio, tag.embed, tag.iframe, tag.img, tag.source, tag.track, tag.video].map(
    (id): [number, number] => [id, attribute.src],
  ),
  ...[tag.a, tag.area, tag.link].map((id): [number, number] => [id, attribute.href]),
  [tag.object, attribute.data],
]);

export const plainValued = new Map<number, number>([
  [tag.meta, attribute.content],
  [tag.data, attribute.value],
  [tag.meter, attribute.value],
  [tag.time, attribute.datetime],
]);

/** Includes elements with an id, because an itemref may point at them. */
export function microdataAttributes(
  tagId: number,
  attributes: TagAttributes,
): MicrodataAttributes | undefined {
  const scope = attributes.has(attribute.itemscope);
  const props = attributes.get(attribute.itemprop);
  const domId = attributes.get(attribute.id);
  if (!scope && props === undefined && domId === undefined) return undefined;
  const valueAttribute = urlValued.get(tagId) ?? plainValued.get(tagId);
  return {
    scope,
    props,
    domId,
    type: attributes.get(attribute.itemtype),
    itemId: attributes.get(attribute.itemid),
    refs: attributes.get(attribute.itemref),
    content: attributes.get(attribute.content),
    value: valueAttribute === undefined ? undefined : attributes.get(valueAttribute),
    required: attributes.has(attribute.required),
    name: attributes.get(attribute.name),
  };
}
