import { createHash } from 'node:crypto';

/**
 * Replaces what is in `[data-live]` by what the server says, text by text, so that nothing moves and no focus is lost where
 * only numbers change. It listens only while somebody looks, goes on behind the last event, and comes again after the server did not answer.
 */
export const liveScript = `(() => {
const address = document.body.dataset.events;
let stream, timer, wait = 3000, last = '';
const morph = (old, next) => {
  if (old.nodeName !== next.nodeName || old.childNodes.length !== next.childNodes.length) {
    old.replaceWith(next.cloneNode(true));
  } else if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== next.data) old.data = next.data;
  } else if (old.nodeType === Node.ELEMENT_NODE) {
    for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const children = [...next.childNodes];
    [...old.childNodes].forEach((child, index) => morph(child, children[index]));
  }
};
const show = ({ data, lastEventId }) => {
  last = lastEventId || last;
  for (const [name, text] of Object.entries(JSON.parse(data))) {
    const old = document.querySelector('[data-live="' + CSS.escape(name) + '"]');
    if (!old) continue;
    const next = old.cloneNode(false);
    next.append(...new DOMParser().parseFromString('<body>' + text, 'text/html').body.childNodes);
    if (old.childNodes.length === next.childNodes.length) morph(old, next);
    else old.replaceChildren(...next.childNodes);
  }
};
const close = () => {
  clearTimeout(timer);
  stream?.close();
  stream = undefined;
};
const later = () => {
  close();
  timer = setTimeout(listen, wait);
  wait = Math.min(wait * 2, 60000);
};
const listen = () => {
  close();
  if (document.hidden) return;
  const own = stream = new EventSource(address + (last && '&last=' + last));
  own.addEventListener('parts', (event) => { wait = 3000; show(event); });
  own.addEventListener('end', ({ data }) => JSON.parse(data).again ? later() : close());
  own.addEventListener('error', () => own === stream && own.readyState === EventSource.CLOSED && later());
};
document.addEventListener('visibilitychange', listen);
addEventListener('pagehide', close);
addEventListener('pageshow', ({ persisted }) => persisted && listen());
listen();
})();
`;

/** By which a browser knows it. */
export const liveScriptHash = createHash('sha256').update(liveScript).digest('base64');
