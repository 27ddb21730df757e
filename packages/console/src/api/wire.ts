/** A type of the contract in JSON: times are text. */
export type Wire<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Wire<Value[Name]> }
      : Value;
