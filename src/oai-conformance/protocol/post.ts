import { type OaiAnswer, outcomeOf } from '../answers/oai-answer.ts';
import type { XmlElement } from '../answers/xml-element.ts';

/** Whether an answer to a form says the same as that to a query. @returns what it says instead */
export function faultOfPost(get: OaiAnswer, post: OaiAnswer): string | undefined {
  if (post.content === undefined) return `by POST it is answered with ${outcomeOf(post)}`;
  if (get.content === undefined) return undefined;
  return written(get.content) === written(post.content)
    ? undefined
    : 'by POST it is answered otherwise than by GET';
}

/** What counts of an element, whatever stands between its children. */
function written({ name, attributes, children, text }: XmlElement): string {
  const pairs = attributes.map((one) => `${one.name}=${one.value}`).join(' ');
  return `<${name} ${pairs}>${children.map(written).join('')}${text.trim()}`;
}
