import { BridgeError } from '../../core/errors.ts';

/** A web address as people type it: `https://` may be left out. @throws BridgeError `usage` */
export function parseAddress(address: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new BridgeError('usage', `${address} is neither a web address nor a file`);
  }
  url.hash = '';
  return url;
}
