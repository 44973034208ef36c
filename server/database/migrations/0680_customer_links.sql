-- Where the customer of a collect has to go before the operator moves the money. It ends with the operator work.
alter table operator_work add column customer_link text;
