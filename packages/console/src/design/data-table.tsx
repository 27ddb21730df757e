import type { KeyboardEvent, ReactNode } from 'react';
import { CellTools } from './cell-tools.tsx';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
  /** A share of the width; columns without one take what they need. */
  readonly grow?: boolean;
  /** Left out on narrow screens. */
  readonly wideOnly?: boolean;
  /** The value behind what is shown: it can be copied, and filtered by where `filter` names the filter. */
  readonly value?: (row: Row) => string | null | undefined;
  readonly filter?: string;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** What a row is called where its id would say nothing. */
  readonly nameOf?: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (selected: Set<string>) => void;
}

/** Rows to look at, walk through (see shortcuts), select with x and open with Enter. Long values are cut, never wrapped into chaos. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, idOf, nameOf, onOpen, selected, onSelect } = props;
  const all = rows.length > 0 && rows.every((row) => selected?.has(idOf(row)));

  function toggle(id: string) {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect?.(next);
  }

  function onRowKey(event: KeyboardEvent, row: Row) {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') {
      if (onOpen) onOpen(row);
      else event.currentTarget.querySelector('a')?.click();
    }
    if (event.key === 'x' && onSelect) toggle(idOf(row));
  }

  return (
    <div className={styles.frame}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {onSelect && (
              <th className={styles.select}>
                <input
                  type="checkbox"
                  aria-label="Select all rows shown"
                  checked={all}
                  onChange={() => onSelect(new Set(all ? [] : rows.map(idOf)))}
                />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.name} className={classOf(column)} scope="col">
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = idOf(row);
            return (
              <tr
                key={id}
                tabIndex={0}
                className={selected?.has(id) ? styles.chosen : undefined}
                onKeyDown={(event) => onRowKey(event, row)}
              >
                {onSelect && (
                  <td className={styles.select}>
                    <input
                      type="checkbox"
                      aria-label={`Select ${nameOf?.(row) ?? id}`}
                      checked={selected?.has(id) ?? false}
                      onChange={() => toggle(id)}
                    />
                  </td>
                )}
                {columns.map((column) => {
                  const content = column.cell(row);
                  return (
                    <td
                      key={column.name}
                      className={`${classOf(column)} ${content === '–' ? styles.absent : ''}`}
                      data-name={column.name === 'Actions' ? undefined : column.name}
                      // What is cut off is told to whoever points at it.
                      title={typeof content === 'string' && content !== '–' ? content : undefined}
                    >
                      {content}
                      <CellTools
                        value={column.value?.(row)}
                        filter={column.filter}
                        className={styles.tools}
                      />
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );

  function classOf({ name, align, grow, wideOnly }: Column<Row>): string {
    return [
      align === 'right' && styles.right,
      grow && styles.grow,
      wideOnly && styles.wideOnly,
      name === 'Actions' && styles.actions,
    ]
      .filter(Boolean)
      .join(' ');
  }
}
