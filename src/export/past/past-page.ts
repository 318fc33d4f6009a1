import type { ResourceSet } from '../../core/resource-set.ts';
import { toUri } from '../../core/uris.ts';
import { setPaths } from '../../publish/documents/document-paths.ts';
import { escapeXml } from '../../publish/documents/xml-text.ts';

/** What `describedby` of the documents of a moment leads to: whose they are, and of when. */
export function renderPastPage(
  baseUrl: string,
  at: string,
  title: string,
  sets: readonly ResourceSet[],
): string {
  const lists = sets.map((set) => {
    const uri = escapeXml(toUri(baseUrl, setPaths(set).resourceList));
    return `<li>${escapeXml(set.title)}: <a href="${uri}">${uri}</a></li>\n`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeXml(title)} at ${at}</title>
<h1>${escapeXml(title)}</h1>
<p>The state of <time datetime="${at}">${at}</time>: the Resource List of that time, and every resource in it as it was. It does not change any more.</p>
<ul>
${lists.join('')}</ul>
</html>
`;
}
