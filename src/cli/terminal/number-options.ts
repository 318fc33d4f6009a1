import { InvalidArgumentError } from 'commander';
import { octetsOf } from '../../core/files/octets-of.ts';

/** Numbers that somebody types behind an option; each throws an InvalidArgumentError that says what to type. */
export function parsePositive(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('give a whole number above 0');
  return Number(text);
}

export function parseOctets(text: string): number {
  const octets = octetsOf(text) ?? 0;
  if (octets === 0) throw new InvalidArgumentError('give octets, or k, M, G or T of them: 500M');
  return octets;
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('give a whole number, 0 for none');
  return Number(text);
}

export function parseSeconds(text: string): number {
  if (!/^\d{1,6}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('give a number of seconds');
  return Number(text);
}

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('give a port, 0 to 65535');
  return Number(text);
}
