// Who owes what, and since when: open amounts by customer and age, from invoices with part payments.
interface Line {
  sku: string;
  quantity: number;
  unit_price: number;
}

interface Invoice {
  number: string;
  customer: string;
  country: string;
  issued: string;
  terms_days: number;
  lines: Line[];
  paid: number;
}

enum Age {
  Current = "current",
  UpTo30 = "1-30 days",
  UpTo60 = "31-60 days",
  Older = "over 60 days",
}

type Buckets = Record<Age, number>;

const DAY = 86_400_000;
const { as_of, invoices } = input as { as_of: string; invoices: Invoice[] };
const today = Date.parse(as_of);

const cents = (amount: number): number => Math.round(amount * 100) / 100;
const total = (invoice: Invoice): number => invoice.lines.reduce((sum, l) => sum + l.quantity * l.unit_price, 0);
const open = (invoice: Invoice): number => cents(total(invoice) - invoice.paid);

function daysLate(invoice: Invoice): number {
  return Math.floor((today - Date.parse(invoice.issued)) / DAY) - invoice.terms_days;
}

function age(late: number): Age {
  if (late <= 0) return Age.Current;
  if (late <= 30) return Age.UpTo30;
  return late <= 60 ? Age.UpTo60 : Age.Older;
}

const owing = invoices.filter((invoice) => open(invoice) > 0);
const customers = [...Map.groupBy(owing, (invoice) => invoice.customer)].map(([customer, theirs]) => {
  const buckets = {} as Buckets;
  for (const invoice of theirs) {
    const bucket = age(daysLate(invoice));
    buckets[bucket] = cents((buckets[bucket] ?? 0) + open(invoice));
  }
  return { customer, open: cents(theirs.reduce((sum, invoice) => sum + open(invoice), 0)), ...buckets };
});

const worst = owing.toSorted((a, b) => daysLate(b) - daysLate(a))[0]!;
console.info(`${owing.length} of ${invoices.length} invoices are open`);

({
  as_of,
  open: cents(customers.reduce((sum, customer) => sum + customer.open, 0)),
  customers: customers.toSorted((a, b) => b.open - a.open),
  longest_overdue: { number: worst.number, customer: worst.customer, days: daysLate(worst), open: open(worst) },
});
