const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const form = new RegExp(`/items/(${uuid})/?$`, 'i');

/**
 * DSpace's own key of the item at an address: `{server}/api/core/items/{uuid}`, `{ui}/items/{uuid}`. An identifier that is made of a
 * handle may lead to another item one day. Undefined for any other address.
 */
export function itemAt(address: string | null | undefined): string | undefined {
  return form.exec((address ?? '').split(/[?#]/, 1)[0] ?? '')?.[1]?.toLowerCase();
}

/** Whether two addresses are of two items; where one of them does not tell, nothing says so. */
export function areOfTwoItems(one: string | null | undefined, other: string | null | undefined): boolean {
  const [first, second] = [itemAt(one), itemAt(other)];
  return first !== undefined && second !== undefined && first !== second;
}
