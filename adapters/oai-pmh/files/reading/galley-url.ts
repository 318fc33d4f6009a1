import { type WebUrl, webUrl } from '../../../../src/core/addresses/web-url.ts';

const viewer = /^(.*\/(?:article|preprint|catalog))\/view\/([^/]+)\/([^/]+)((?:\/[^/]+)?)\/?$/;
const viewerQuery =
  /^(.*[?&]page=article&(?:[^&]*&)*)op=view(&path(?:\[\]|%5B%5D)=[^&]+&path(?:\[\]|%5B%5D)=[^&]+)$/i;

/**
 * OJS and its sisters state the viewer of a galley: `/article/view/12/34` is a page around the PDF, and
 * `/article/download/12/34` is the PDF. Other URLs stay.
 */
export function toGalleyDownload(url: WebUrl): WebUrl {
  const [, base, article, galley, rest] = viewer.exec(url.path) ?? [];
  if (base !== undefined && article !== undefined && galley !== undefined && galley !== 'version') {
    return webUrl(url.href.replace(url.path, `${base}/download/${article}/${galley}${rest ?? ''}`)) ?? url;
  }
  const [, before, behind] = viewerQuery.exec(url.query) ?? [];
  if (before === undefined || behind === undefined) return url;
  return webUrl(url.href.replace(url.query, `${before}op=download${behind}`)) ?? url;
}
