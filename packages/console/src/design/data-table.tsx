import type { KeyboardEvent, ReactNode } from 'react';
import { CellTools } from './cell-tools.tsx';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
  /** A share of the width; columns without one take what they need. */
  readonly grow?: boolean;
  /** Hidden on narrow screens. */
  readonly wideOnly?: boolean;
  /** The underlying value, which can be copied; `filter` names the filter it can be used with. */
  readonly value?: (row: Row) => string | null | undefined;
  readonly filter?: string;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** A readable name for rows whose ids are meaningless. */
  readonly nameOf?: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (selected: Set<string>) => void;
}

/**
 * A table whose rows can be navigated by keyboard (see shortcuts), selected with x and opened with Enter. Long values
 * are truncated, not wrapped.
 */
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
                      // A tooltip shows truncated text.
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
