import { html, type Markup } from '../../html/html.ts';

export interface Column {
  readonly name: string;
  /** Its cells are numbers. */
  readonly isNumber?: boolean;
}

/** A table that is scrolled where it is too wide, with the keyboard, too. @param rows made of `row` */
export function scrolledTable(
  label: string,
  columns: readonly (Column | string)[],
  rows: readonly Markup[],
): Markup {
  const heads = columns.map((column) => {
    const { name, isNumber = false } = typeof column === 'string' ? { name: column } : column;
    return html`<th scope="col"${isNumber && html` class="n"`}>${name}</th>`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads}</tr></thead><tbody>
${rows}</tbody></table></div>`;
}

/** A number of a table. */
export function numberCell(value: string | undefined): Markup {
  return html`<td class="n">${value ?? '–'}</td>`;
}
