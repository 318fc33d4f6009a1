import { connect, type Socket } from 'node:net';
import { parseAllowedPlace } from '../../../core/config/network-allow.ts';
import { BridgeError, isBridgeError } from '../../../core/errors.ts';
import { type AddressGuard, createAddressGuard } from '../../../harvest/http/address-guard.ts';

/** Which addresses messages may be sent to. */
export interface ChannelPlaces {
  /** `network.allow`. */
  readonly allow: readonly string[];
  /** Whether they may be on this machine or in a private network. */
  readonly allowPrivate: boolean;
}

/** Public addresses, and what the configuration allows beside them. */
export function channelGuard({ allow, allowPrivate }: ChannelPlaces): AddressGuard {
  return createAddressGuard({
    // No address is trusted because it is configured: where messages go may come from elsewhere than the network rules.
    endpoint: new URL('http://nowhere.invalid/'),
    scope: 'found',
    trusted: false,
    allow: allow.flatMap((entry) => parseAllowedPlace(entry) ?? []),
    allowPrivate,
  });
}

/** A connection to a host, by whichever of its addresses may be connected to. */
export function connectGuarded(
  guard: AddressGuard,
  { host, port, timeoutMs }: { readonly host: string; readonly port: number; readonly timeoutMs: number },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    guard.checkHost(host, port);
    const socket = connect({ host, port, lookup: guard.lookup(port) });
    const late = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs / 1000} seconds`)),
      timeoutMs,
    );
    const failed = (error: Error) => {
      clearTimeout(late);
      reject(error);
    };
    socket.once('error', failed).once('connect', () => {
      clearTimeout(late);
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

/**
 * What kept a message from being sent, for people: the host, and nothing else of the address, for whoever knows it can write there.
 * @param setting that lets a private address be one
 */
export function undelivered(host: string, setting: string, cause: unknown): BridgeError {
  if (isBridgeError(cause, 'address-refused'))
    return new BridgeError(
      'alert-undelivered',
      `${host} is not at a public address (where that is meant: \`${setting}: true\`)`,
      { retryable: false },
    );
  return new BridgeError('alert-undelivered', `${host} did not take it`, { cause, retryable: true });
}
